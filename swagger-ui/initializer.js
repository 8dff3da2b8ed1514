/* global document, matchMedia, SwaggerUIBundle */

const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

/** Keeps browsers from remembering what is typed, because it may be a token. */
const forgetful =
  (Input, { React }) =>
  (props) =>
    React.createElement(Input, { ...props, autoComplete: 'off' });
const forgetInput = () => ({ wrapComponents: { Input: forgetful, InitializedInput: forgetful } });

SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: 'openapi.json', // relative, because a gateway may prefix the path
  deepLinking: true,
  persistAuthorization: false, // the token is kept in memory alone
  queryConfigEnabled: false, // or a link could make the page show another document
  syntaxHighlight: { theme: 'tomorrow-night' }, // the default one has too little contrast
  plugins: [forgetInput],
});
