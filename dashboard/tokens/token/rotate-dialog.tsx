import { useState } from 'preact/hooks';
import type { NewToken, Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Field } from '../../ui/field.tsx';
import { Until } from '../../ui/time.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { DAYS, ExpiryField, useExpiry } from './expiry-field.tsx';
import { isLastAdmin } from './last-admin.ts';
import { LastAdminBanner } from './last-admin-banner.tsx';

const OVERLAPS = [
  ['0h', '0 hours: it ends at once'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['72h', '3 days'],
  ['168h', '7 days'],
];

interface Props {
  token: Token;
  /** Whether this session uses the token. */
  isCurrent: boolean;
  onClose(): void;
  onRotated(token: NewToken): void;
}

export function RotateDialog({ token, isCurrent, onClose, onRotated }: Props) {
  const { client } = useSession();
  const [overlap, setOverlap] = useState('24h');
  const [isAskingAgain, setIsAskingAgain] = useState(false);
  const expiry = useExpiry('same');
  const term = token.expiresIn ? days(token.expiresIn) : 'Never';
  const form = useSubmit(['overlap', 'expiresIn'], async () => {
    const expiresIn = expiry.expiresIn();
    if (!isAskingAgain && (await isLastAdmin(client, token))) return setIsAskingAgain(true);
    onRotated(await client.tokens.rotate(token.id, { overlap, expiresIn }));
  });

  return (
    <Dialog title={`Rotate “${token.name}”?`} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit}>
        <p>
          You get a new token with the same name and scopes
          {expiry.choice === 'same' && token.expiresIn && `, for another ${term}`}. The old one (
          <code>{token.hint}</code>)
          {overlap === '0h'
            ? ' stops working at once, with all tokens that it has issued.'
            : ' keeps working for a while, so that you can replace it where it is used.'}
        </p>
        <Field
          label="The old token keeps working for"
          hint={
            endsBefore(token, overlap) && (
              <>
                It expires <Until iso={token.expiresAt!} /> anyway.
              </>
            )
          }
          error={form.errorAt('overlap')}
        >
          {(field) => (
            <select {...field} value={overlap} onChange={(event) => setOverlap(event.currentTarget.value)}>
              {OVERLAPS.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <ExpiryField
          label="Expiry of the new token"
          expiry={expiry}
          choices={[['same', `${term}, like the old one`], ...DAYS]}
          error={form.errorAt('expiresIn')}
        />
        {isCurrent && (
          <p class="banner warning">
            You are signed in with this token. This page continues with the new one; copy it to sign in again.
          </p>
        )}
        {isAskingAgain && (
          <LastAdminBanner>
            Copy the new one when it is shown: if you lose it, nobody can sign in here once the old one has
            ended.
          </LastAdminBanner>
        )}
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton autofocus />
          <button class="primary" aria-disabled={form.busy}>
            {form.busy ? 'Rotating …' : isAskingAgain ? 'Rotate the last admin token' : 'Rotate token'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const days = (term: string) => (term === '1d' ? '1 day' : `${Number.parseInt(term)} days`);

/** Whether the token expires before the overlap is over. */
const endsBefore = ({ expiresAt }: Token, overlap: string) =>
  expiresAt !== null && Date.parse(expiresAt) - Date.now() < Number.parseInt(overlap) * 3_600_000;
