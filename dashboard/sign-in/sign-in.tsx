import { useEffect } from 'preact/hooks';
import type { EndReason, SessionEvents } from '../session/session.ts';
import { Mark } from '../ui/mark.tsx';
import { PRODUCT, serviceTitle, windowTitle } from '../ui/title.ts';
import { IssuerSignIn } from './issuer-sign-in.tsx';
import { hasSignIn } from './sign-in-api.ts';
import { TokenForm } from './token-form.tsx';

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

interface Props extends SessionEvents {
  endReason: EndReason | undefined;
  /** The messages of the tasks that its end interrupted. */
  interrupted: string[];
}

export function SignIn({ endReason, interrupted, ...events }: Props) {
  useEffect(() => void (document.title = windowTitle()), []);
  return (
    <main class="sign-in">
      <div class="sign-in-head">
        <Mark />
        <h1 tabIndex={-1}>{PRODUCT}</h1>
        <p class="name">{serviceTitle ?? location.host}</p>
      </div>
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
      <div class="card">
        {hasSignIn && (
          <>
            <IssuerSignIn endReason={endReason} {...events} />
            <p class="or quiet small">or</p>
          </>
        )}
        <TokenForm isAlternative={hasSignIn} {...events} />
      </div>
      <p class="quiet small">
        A token is kept in memory only, until you sign out, close or reload the page, or are idle for 30
        minutes.
      </p>
    </main>
  );
}
