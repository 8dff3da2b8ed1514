/** The result of a successful health check. */
export class HealthView {
  /**
   * The only status of a 200; anything else is a 503.
   * @example 'ok'
   */
  status: 'ok';
}
