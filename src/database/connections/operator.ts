/**
 * The operator's name: as an actor, in the log, and where others have their organization. Its statements go to all
 * nodes of a cluster.
 */
export const OPERATOR = 'operator';
