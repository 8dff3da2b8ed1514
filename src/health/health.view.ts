/** The result of a successful health check. */
export class HealthView {
  status: 'ok';
}
