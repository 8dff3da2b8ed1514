/** The answer of a health check. */
export class HealthView {
  status: 'ok';
}
