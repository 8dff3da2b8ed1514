import { useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { openSession, type SessionEvents } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { LocalFaults } from '../ui/faults.ts';
import { useSubmit } from '../ui/use-submit.ts';

const TOKEN_PATTERN = /^umt_[0-9A-Za-z]{38}$/;

const fault = (message: string) => new LocalFaults([{ field: 'token', message }]);

interface Props extends SessionEvents {
  /** Whether there is a better way to sign in above the form. */
  isAlternative: boolean;
}

/** Signs in with the value of a token. */
export function TokenForm({ isAlternative, onSession, onEnd }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!isAlternative) input.current?.focus();
  }, []);
  const form = useSubmit(['token'], async (data) => {
    const value = String(data.get('token')).trim();
    if (!value) throw fault('is required');
    // Do not send other values: they may be passwords for something else.
    if (!TOKEN_PATTERN.test(value)) throw fault('must have 42 characters and start with umt_');
    const session = await openSession(value, { onSession, onEnd }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) {
        throw fault('is not valid: it is unknown, expired or revoked');
      }
      throw error;
    });
    const { name, scopes } = session.token;
    if (!scopes.includes('admin')) {
      throw fault(`must have the scope admin; “${name}” has only ${scopes.join(', ')}`);
    }
    onSession(session);
  });

  // POST keeps the token out of the URL if the form is ever submitted without a script.
  return (
    <form class="stack" method="post" ref={form.ref} onSubmit={form.submit} noValidate>
      <input type="text" name="username" autocomplete="username" value="Admin token" readOnly hidden />
      <Field label="Admin token" error={form.errorAt('token')}>
        {(field) => (
          <input
            {...field}
            ref={input}
            type="password"
            name="token"
            class="mono"
            placeholder="umt_…"
            autocomplete="current-password"
            autocapitalize="off"
            spellcheck={false}
          />
        )}
      </Field>
      <Failure error={form.error} />
      <button class={isAlternative ? 'wide' : 'primary wide'} aria-disabled={form.busy}>
        {form.busy ? 'Signing in …' : isAlternative ? 'Sign in with the token' : 'Sign in'}
      </button>
      <details class="small">
        <summary>Where do I find a token?</summary>
        <ul>
          <li>The first start of the service prints one.</li>
          <li>
            The operator makes one with <code>ums tokens create</code>.
          </li>
          <li>Another admin makes one here, on the page API tokens.</li>
        </ul>
      </details>
    </form>
  );
}
