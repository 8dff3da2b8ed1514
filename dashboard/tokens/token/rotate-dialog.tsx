import { useState } from 'preact/hooks';
import type { Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { Until } from '../../ui/time.tsx';
import { ExpiryField, useExpiry } from './expiry-field.tsx';
import { isLastAdmin } from './last-admin.ts';
import { LastAdminBanner } from './last-admin-banner.tsx';
import { CUSTOM, DAYS, daysIn } from './lives.ts';
import { useTokenEvents } from './token-events.ts';

const OVERLAPS = {
  '0h': '0 hours: it ends at once',
  '1h': '1 hour',
  '24h': '24 hours',
  '72h': '3 days',
  '168h': '7 days',
};

interface Props {
  token: Token;
  onClose(): void;
  onDone(): void;
}

export function RotateDialog({ token, onClose, onDone }: Props) {
  const { client, token: current, renew } = useSession();
  const { onCreated } = useTokenEvents();
  const isCurrent = token.id === current.id;
  const [overlap, setOverlap] = useState('24h');
  const [isAskingAgain, setIsAskingAgain] = useState(false);
  const days = token.expiresIn ? Number.parseInt(token.expiresIn) : Infinity;
  const term = token.expiresIn ? daysIn(days) : 'Never';
  const expiry = useExpiry('same', [['same', `${term}, like the old one`, days], ...DAYS, CUSTOM]);
  const rotate = async () => {
    const expiresIn = expiry.expiresIn();
    if (!isAskingAgain && (await isLastAdmin(client, token))) return setIsAskingAgain(true);
    const successor = await client.tokens.rotate(token.id, { overlap, expiresIn });
    onCreated(successor);
    if (isCurrent) renew(successor);
    onDone();
  };

  return (
    <ConfirmDialog
      title={`Rotate “${token.name}”?`}
      action={isAskingAgain ? 'Rotate the last admin token' : 'Rotate token'}
      doing="Rotating …"
      fields={['overlap', 'expiresIn']}
      onSubmit={rotate}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <p>
            You get a new token with the same name and scopes
            {expiry.choice === 'same' && token.expiresIn && `, for another ${term}`}. The old one (
            <code>{token.hint}</code>)
            {overlap === '0h'
              ? ' stops working at once, with all tokens that it has issued.'
              : ' keeps working for a while, so that you can replace it where it is used.'}
          </p>
          <SelectField
            label="The old token keeps working for"
            hint={
              endsBefore(token, overlap) && (
                <>
                  It expires <Until iso={token.expiresAt!} /> anyway.
                </>
              )
            }
            error={errorAt('overlap')}
            options={OVERLAPS}
            value={overlap}
            onValue={setOverlap}
          />
          <ExpiryField label="Expiry of the new token" expiry={expiry} error={errorAt('expiresIn')} />
          {isCurrent && (
            <p class="banner warning">
              You are signed in with this token. This page continues with the new one; copy it to sign in
              again.
            </p>
          )}
          {isAskingAgain && (
            <LastAdminBanner>
              Copy the new one when it is shown: if you lose it, nobody can sign in here once the old one has
              ended.
            </LastAdminBanner>
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

/** Whether the token expires before the overlap is over. */
const endsBefore = ({ expiresAt }: Token, overlap: string) =>
  expiresAt !== null && Date.parse(expiresAt) - Date.now() < Number.parseInt(overlap) * 3_600_000;
