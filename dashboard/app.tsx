import { useCallback, useEffect, useState } from 'preact/hooks';
import { onIdle } from './idle.ts';
import { type EndReason, type Session, SessionContext } from './session.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** Shows the sign-in form or the dashboard. The session is kept only in this component's state. */
export function App() {
  const [{ session, endReason }, setState] = useState<{ session?: Session; endReason?: EndReason }>({});

  const begin = useCallback((session: Session) => setState({ session }), []);
  // The first reason wins, and late responses of an old session must not end a new one.
  const end = useCallback(
    (ended: Session, endReason: EndReason) =>
      setState((state) => (state.session === ended ? { endReason } : state)),
    [],
  );
  useEffect(() => (session ? onIdle(() => session.end('idle')) : undefined), [session]);

  if (!session) return <SignIn endReason={endReason} onSession={begin} onEnd={end} />;
  return (
    <SessionContext.Provider value={session}>
      <Shell />
    </SessionContext.Provider>
  );
}
