export interface OperatorOptions {
  /** The token with which the operator manages organizations. Default: none, and its routes do not exist. */
  operatorToken?: string;
}
