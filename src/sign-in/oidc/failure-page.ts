import { stylesheet } from '../../dashboard/dashboard.files';
import type { SignInFailure } from './sign-in-failure';

/** A page that says why somebody could not sign in, without scripts. Its links are relative to `/dashboard/`. */
export function failurePage({ title, message, forAdministrator = [] }: SignInFailure): string {
  const note = forAdministrator.map((line) => `<p>${escape(line)}</p>`).join('');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>${escape(title)} · User Management Service</title>
    <link rel="stylesheet" href="${stylesheet()}" />
  </head>
  <body>
    <main class="sign-in">
      <h1>${escape(title)}</h1>
      <p>${escape(message)}</p>
      ${note && `<div class="card">${note}</div>`}
      <p><a href="sign-in">Try again</a> or <a href="../dashboard">use an API token</a></p>
    </main>
  </body>
</html>
`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
