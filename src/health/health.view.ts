/** The result of a successful health check. */
export class HealthView {
  /** @example 'ok' */
  status: 'ok';
}
