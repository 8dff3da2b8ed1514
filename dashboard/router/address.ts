/** The folder of the scripts, which the service serves below the dashboard's own address. */
const scripts = import.meta.url;

/** The address of the dashboard, which includes any path prefix of a host or gateway. */
export const dashboardUrl = new URL('.', scripts).href.replace(/\/$/, '');

/** The address of the service, beside which the API has its paths. */
export const baseUrl = dashboardUrl.replace(/\/dashboard$/, '');

/** The address of the API reference; undefined in a host, which has none. */
export const docsUrl = document.querySelector('meta[name="docs"]') ? `${baseUrl}/docs` : undefined;

/** The address of a path below the dashboard, such as `users/usr_…` or `users?role=admin`. */
export const hrefOf = (to: string) => (to === '' ? dashboardUrl : `${dashboardUrl}/${to}`);
