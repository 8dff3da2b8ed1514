/**
 * The holder of the operator's share of the connections, beside the organizations, which hold theirs by their ids. Its
 * statements go to all nodes of a cluster.
 */
export const OPERATOR_SHARE = 'operator';
