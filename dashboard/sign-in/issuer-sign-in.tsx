import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EndReason, SessionEvents } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import {
  forget,
  goToIssuer,
  isRemembered,
  openSignedIn,
  type Organization,
  readState,
  type SignInState,
} from './sign-in-api.ts';

interface Props extends SessionEvents {
  endReason: EndReason | undefined;
}

/** The button above the field for a token; and, after it, the choice of an organization. */
export function IssuerSignIn({ endReason, ...events }: Props) {
  const [state, setState] = useState<SignInState>();
  const [organizations, setOrganizations] = useState<Organization[]>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), []);

  const open = async (organizationId?: string) => {
    setBusy(true);
    setError(undefined);
    try {
      const opened = await openSignedIn(events, organizationId);
      if (Array.isArray(opened)) setOrganizations(opened);
      else events.onSession(opened);
    } catch (error) {
      setOrganizations(undefined);
      setError(error);
    }
    setBusy(false);
  };

  useEffect(() => {
    let isShown = true;
    readState().then(
      (state) => {
        if (!isShown) return;
        setState(state);
        const isReload = isRemembered() && endReason === undefined;
        forget(); // or a silent sign-in that fails would go round in circles
        if (state.signedIn && (state.url || isReload)) void open();
        else if (isReload && state.url && state.available) goToIssuer(state.url, true);
      },
      (error: unknown) => isShown && setError(error),
    );
    return () => void (isShown = false);
  }, []);

  if (organizations)
    return (
      <section class="stack" aria-label="Organizations">
        <h2>Choose an organization</h2>
        {organizations.map(({ id, name }) => (
          <button key={id} type="button" class="wide" aria-disabled={busy} onClick={() => void open(id)}>
            {name}
          </button>
        ))}
      </section>
    );
  const isOff = busy || !state?.available;
  const begin = () => {
    if (isOff) return;
    if (state.url) goToIssuer(state.url, false);
    else void open();
  };
  return (
    <section class="stack" aria-label="Sign in with your account">
      <Failure error={error} />
      <button type="button" class="primary wide" ref={button} aria-disabled={isOff} onClick={begin}>
        {labelOf(state)}
      </button>
      {state?.available === false && (
        <p class="quiet small" role="status">
          {state.issuer} does not answer. Try again later, or sign in with a token.
        </p>
      )}
    </section>
  );
}

function labelOf(state: SignInState | undefined): string {
  if (!state) return 'One moment …';
  if (!state.available) return `${state.issuer} does not answer`;
  return state.issuer ? `Sign in with ${state.issuer}` : 'Continue with your account';
}
