import { useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { type EndReason, openSession, type SessionEvents } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { Mark } from '../ui/mark.tsx';
import { LocalFaults } from '../ui/faults.ts';
import { useSubmit } from '../ui/use-submit.ts';
import { IssuerSignIn } from './issuer-sign-in.tsx';
import { hasSignIn } from './sign-in-api.ts';

const END_MESSAGES: Record<EndReason, string> = {
  'signed-out': 'You are signed out. The token was removed from this page.',
  refused: 'You were signed out because the token was revoked or has expired.',
  suspended:
    'You were signed out because your organization is suspended. Only the operator of the service can resume it.',
  'shut-out':
    'You were signed out because the token may not be used from your network. Sign in from one of its networks, or with another token.',
  narrowed:
    'You were signed out because the scope admin was taken from the token. The dashboard requires it.',
  idle: 'You were signed out after 30 minutes of inactivity.',
  revoked: 'You revoked the token you were signed in with.',
};

const TOKEN_PATTERN = /^umt_[0-9A-Za-z]{38}$/;

const fault = (message: string) => new LocalFaults([{ field: 'token', message }]);

interface Props extends SessionEvents {
  endReason: EndReason | undefined;
  /** The messages of the tasks that its end interrupted. */
  interrupted: string[];
}

export function SignIn({ endReason, interrupted, onSession, onEnd }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const form = useSubmit(['token'], async (data) => {
    const value = String(data.get('token')).trim();
    // Do not send other values: they may be passwords for something else.
    if (!TOKEN_PATTERN.test(value)) {
      throw fault(
        value ? 'is not an API token. Tokens start with umt_ and have 42 characters' : 'is required',
      );
    }
    const session = await openSession(value, { onSession, onEnd }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) {
        throw fault('is not valid: it is unknown, expired or revoked');
      }
      throw error;
    });
    const { name, scopes } = session.token;
    if (!scopes.includes('admin')) {
      throw fault(
        `“${name}” works only with the API. The dashboard requires the scope admin; this token has ${scopes.join(', ')}`,
      );
    }
    onSession(session);
  });

  return (
    <main class="sign-in">
      <Mark />
      <h1 tabIndex={-1}>Developer dashboard</h1>
      <p class="quiet">Manage your organization's API tokens and users</p>
      {endReason && (
        <p class="banner" role="status">
          {END_MESSAGES[endReason]}
        </p>
      )}
      {interrupted.map((text) => (
        <p key={text} class="banner warning" role="status">
          {text}
        </p>
      ))}
      {hasSignIn && <IssuerSignIn endReason={endReason} onSession={onSession} onEnd={onEnd} />}
      {/* POST keeps the token out of the URL if the form is ever submitted without a script. */}
      <form class="card stack" method="post" ref={form.ref} onSubmit={form.submit} noValidate>
        <input type="text" name="username" autocomplete="username" value="Admin token" readOnly hidden />
        <Field label="Admin token" error={form.errorAt('token')}>
          {(field) => (
            <input
              {...field}
              ref={input}
              type="password"
              name="token"
              class="mono"
              autocomplete="current-password"
              autocapitalize="off"
              spellcheck={false}
            />
          )}
        </Field>
        <Failure error={form.error} />
        <button class="primary wide" aria-disabled={form.busy}>
          {form.busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p class="quiet small">
        The token is kept in memory only, until you sign out, close or reload the page, or are idle for 30
        minutes.
      </p>
    </main>
  );
}
