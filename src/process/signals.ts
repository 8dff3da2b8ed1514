const end = () => process.exit(143);

// The kernel does not end the first process of a container by a signal that it has not asked for, and loading the rest
// takes a second: so this is loaded first.
if (process.pid === 1) process.on('SIGTERM', end).on('SIGINT', end);

/** For who answers signals from now on, after it does: a signal that came meanwhile is answered once all is loaded. */
export const takeOverSignals = () => void process.off('SIGTERM', end).off('SIGINT', end);
