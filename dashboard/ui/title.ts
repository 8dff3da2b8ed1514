export const PRODUCT = 'User Management';

/** The name that the operator has given this service, such as “Acme – Staging”. */
export const serviceTitle = document.querySelector<HTMLMetaElement>('meta[name="dashboard-title"]')?.content;

/** The title of the window. */
export const windowTitle = (organization?: string): string =>
  [organization, serviceTitle, PRODUCT].filter(Boolean).join(' · ');
