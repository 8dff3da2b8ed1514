import { useCallback, useEffect, useState } from 'preact/hooks';
import { Shell } from './frame/shell.tsx';
import { SECTIONS } from './routes.ts';
import { farewells } from './session/farewell.ts';
import { onIdle } from './session/idle.ts';
import { type EndReason, type Session, SessionContext } from './session/session.ts';
import { SignIn } from './sign-in/sign-in.tsx';

interface State {
  session?: Session;
  endReason?: EndReason;
  /** The tasks that the end interrupted. */
  interrupted?: string[];
}

/** Shows the sign-in form or the dashboard. The session is kept only in this component's state. */
export function App() {
  const [{ session, endReason, interrupted = [] }, setState] = useState<State>({});

  const begin = useCallback((session: Session) => setState({ session }), []);
  // The first reason wins, and late responses of an old session must not end a new one.
  const end = useCallback((ended: Session, endReason: EndReason) => {
    const interrupted = farewells();
    setState((state) => (state.session === ended ? { endReason, interrupted } : state));
  }, []);
  useEffect(() => (session ? onIdle(() => session.end('idle')) : undefined), [session]);

  if (!session)
    return <SignIn endReason={endReason} interrupted={interrupted} onSession={begin} onEnd={end} />;
  return (
    <SessionContext.Provider value={session}>
      <Shell sections={SECTIONS} />
    </SessionContext.Provider>
  );
}
