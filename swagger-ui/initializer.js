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

/** Folds all of a long text but its introduction, so that the operations are in the first screen. */
const folding =
  (Markdown, { React }) =>
  ({ source, ...props }) => {
    const end = typeof source === 'string' ? source.indexOf('\n## ') : -1;
    if (end < 0) return React.createElement(Markdown, { source, ...props });
    return React.createElement(
      React.Fragment,
      null,
      React.createElement(Markdown, { source: source.slice(0, end), ...props }),
      React.createElement(
        'details',
        { id: 'guide' },
        React.createElement('summary', null, 'More: requests, authentication, pages, errors and limits'),
        React.createElement(Markdown, { source: source.slice(end), ...props }),
      ),
    );
  };
const foldDescription = () => ({ wrapComponents: { Markdown: folding } });

/** Links to the guide open it. Swagger UI takes the fragments that begin with a slash. */
document.querySelector('a[href="#guide"]').addEventListener('click', (event) => {
  event.preventDefault();
  const guide = document.getElementById('guide');
  if (!guide) return;
  guide.open = true;
  guide.scrollIntoView();
  guide.querySelector('summary').focus();
});

SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: 'openapi.json', // relative, because a gateway may prefix the path
  deepLinking: true,
  persistAuthorization: false, // the token is kept in memory alone
  queryConfigEnabled: false, // or a link could make the page show another document
  syntaxHighlight: { theme: 'tomorrow-night' }, // the default one has too little contrast
  plugins: [forgetInput, foldDescription],
});
