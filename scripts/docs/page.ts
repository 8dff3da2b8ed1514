import { type Document, nameIn, type Response } from './document';
import { asJson, figure } from './examples';
import { fieldsOf, fieldTable } from './fields';
import { anchor, escape, headingsIn, inline, markdown, table } from './html';
import { badge, operationSection, operationsOf } from './operation';
import { ICON, MARK, STYLE } from './style';

/** Renders the document as one HTML page, which needs neither scripts nor requests. */
export function render(document: Document): string {
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · ${escape(title)}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><div class="bar">${MARK}<b>${escape(title)}</b>
<nav aria-label="Pages"><a href="dashboard">Dashboard</a> <a href="openapi.json">openapi.json</a></nav></div></header>
<div class="frame">
<nav class="contents" aria-label="Contents">${contents(document)}</nav>
<main id="content">
<h1>API reference <span class="chip">${escape(version)}</span></h1>
${markdown(description)}
<p>In the examples, <code>$URL</code> is the address of the service, <code>$TOKEN</code> a token and <code>$ID</code> an id.</p>
${document.tags
  .map(
    ({ name, description }) => `<section aria-labelledby="${anchor(name)}">
<h2 id="${anchor(name)}">${name}</h2><p>${inline(description)}</p>
${operationsOf(document, name)
  .map((placed) => operationSection(document, placed))
  .join('\n')}</section>`,
  )
  .join('\n')}
<h2 id="schemas">Schemas</h2>
${schemas(document)}
<h2 id="response-headers">Response headers</h2>
${headers(document)}
<h2 id="error-responses">Error responses</h2>
${Object.values(document.components.responses).map(failure).join('\n')}
</main>
</div>
</body>
</html>`;
}

function contents(document: Document): string {
  const group = (title: string, links: { id: string; text: string; method?: string }[]) => {
    const items = links.map(
      ({ id, text, method }) =>
        `<li><a href="#${id}">${escape(text)} ${method ? badge(method) : ''}</a></li>`,
    );
    return `<div><p>${title}</p><ul>${items.join('')}</ul></div>`;
  };
  const toHeading = (text: string) => ({ id: anchor(text), text });
  const groups = document.tags.map(({ name }) => {
    const operations = operationsOf(document, name);
    return group(
      name,
      operations.map(({ method, operation }) => ({
        id: operation.operationId,
        text: operation.summary,
        method,
      })),
    );
  });
  return [
    group('Introduction', headingsIn(document.info.description).map(toHeading)),
    ...groups,
    group('Reference', ['Schemas', 'Response headers', 'Error responses'].map(toHeading)),
  ].join('\n');
}

/** The fields of every schema that no operation shows as its request body. */
function schemas({ paths, components }: Document): string {
  const bodies = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
    .map(({ schema }) => nameIn(schema.$ref ?? ''));
  return Object.entries(components.schemas)
    .filter(([name]) => !bodies.includes(name))
    .map(
      ([name, schema]) =>
        `<h3 id="${name}">${name}</h3>${fieldTable(`Fields of ${name}`, fieldsOf(schema), 'optional')}`,
    )
    .join('\n');
}

const headers = ({ components }: Document) =>
  table(
    'Headers of responses',
    ['Name', 'Description', 'Example'],
    Object.entries(components.headers).map(([name, { description, schema }]) => [
      `<code>${name}</code>`,
      inline(description),
      `<code>${escape(schema.examples![0])}</code>`,
    ]),
  );

function failure({ description, content }: Response): string {
  const example = content!['application/problem+json'].example as Record<string, string>;
  const { status, title, code } = example;
  return `<article id="${code}" aria-labelledby="${code}.name">
<h3 id="${code}.name">${status} ${title}: <code>${code}</code></h3><p>${inline(description)}</p>
${figure('Example', asJson(example))}</article>`;
}
