const exit = () => process.exit(143);

// The kernel ignores signals to the first process of a container unless the process handles them. This file is imported
// first, because loading the other modules takes a second.
if (process.pid === 1) process.on('SIGTERM', exit).on('SIGINT', exit);

/**
 * Removes these handlers. Call it after adding your own, so that there is no gap. A signal that arrives while modules
 * load is delivered only afterwards, to the handlers that are installed then.
 */
export const takeOverSignals = () => void process.off('SIGTERM', exit).off('SIGINT', exit);
