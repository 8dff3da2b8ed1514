/** The logo: a key. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" />
    <circle cx="6" cy="10" r="2.25" />
    <path d="M7.6 8.4 12 4m-2 2 1.5 1.5" />
  </svg>
);
