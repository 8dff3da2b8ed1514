import { useCallback, useEffect, useState } from 'preact/hooks';
import { onIdle } from './idle.ts';
import { type Farewell, type Session, SessionContext } from './session.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** Signed in or not; the session is a variable of this component, and of nothing that outlives it. */
export function App() {
  const [{ session, farewell }, setState] = useState<{ session?: Session; farewell?: Farewell }>({});

  const begin = useCallback((session: Session) => setState({ session }), []);
  // Its first end is the reason; and what an old session still hears is nothing to a new one.
  const end = useCallback(
    (ended: Session, why: Farewell) =>
      setState((state) => (state.session === ended ? { farewell: why } : state)),
    [],
  );
  useEffect(() => (session ? onIdle(() => session.end('idle')) : undefined), [session]);

  if (!session) return <SignIn farewell={farewell} onSession={begin} onEnd={end} />;
  return (
    <SessionContext.Provider value={session}>
      <Shell />
    </SessionContext.Provider>
  );
}
