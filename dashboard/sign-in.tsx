import { useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError } from '../client/index.ts';
import { type Farewell, openSession, type Session } from './session.ts';
import { Failure } from './ui/failure.tsx';
import { Field } from './ui/field.tsx';
import { Mark } from './ui/mark.tsx';
import { LocalFaults, useSubmit } from './ui/use-submit.ts';

const FAREWELLS: Record<Farewell, string> = {
  'signed-out': 'You are signed out, and the page has forgotten the token.',
  refused: 'The service no longer accepts the token: it was revoked or has expired.',
  idle: 'You were signed out after thirty minutes without activity.',
  revoked: 'You revoked the token you were signed in with.',
};

const SHAPE = /^umt_[0-9A-Za-z]{38}$/;

const fault = (message: string) => new LocalFaults([{ field: 'token', message }]);

interface Props {
  farewell: Farewell | undefined;
  onSession(session: Session): void;
  onEnd(ended: Session, why: Farewell): void;
}

export function SignIn({ farewell, onSession, onEnd }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const form = useSubmit(['token'], async (data) => {
    const value = String(data.get('token')).trim();
    // What is no token is not sent anywhere: it may be the password of something else.
    if (!SHAPE.test(value)) {
      throw fault(value ? 'is umt_ and 38 letters and digits; this is something else' : 'is missing');
    }
    const session = await openSession(value, onEnd).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) {
        throw fault('is not valid: it is unknown, expired or revoked');
      }
      throw error;
    });
    const { name, scopes } = session.token;
    if (!scopes.includes('admin')) {
      throw fault(
        `“${name}” may do ${scopes.join(', ')} and nothing else. It works for the API; the dashboard needs a token with the scope admin`,
      );
    }
    onSession(session);
  });

  return (
    <main class="sign-in">
      <Mark />
      <h1 tabIndex={-1}>Developer dashboard</h1>
      <p class="quiet">API tokens and users of your organization</p>
      {farewell && (
        <p class="banner" role="status">
          {FAREWELLS[farewell]}
        </p>
      )}
      {/* A POST, should it ever be sent without a script: a token must not come into an address. */}
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
        The token stays in this page until you sign out, close or reload it, or do nothing for thirty minutes.
        It is stored nowhere.
      </p>
    </main>
  );
}
