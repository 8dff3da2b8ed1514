import { STATUS_CODES } from 'node:http';
import { type Document, nameIn, type Operation } from './document';
import { asJson, curl, exampleOf, figure } from './examples';
import { fieldsOf, fieldTable, schemaLink } from './fields';
import { escape, inline, markdown, table } from './html';

/** An operation with its place in the document. */
export interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

/** The operations that have the tag. */
export const operationsOf = ({ paths }: Document, tag: string): Placed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ method, path, operation }))
      .filter(({ operation }) => operation.tags.includes(tag)),
  );

export const badge = (method: string) => `<span class="method ${method}">${method.toUpperCase()}</span>`;

/** The request and responses of an operation, with an example beside them. */
export function operationSection(document: Document, { method, path, operation }: Placed): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema.$ref;
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const tables = [
    { caption: 'Path parameters', fields: inPlace('path') },
    { caption: 'Query parameters', fields: inPlace('query') },
    // Every request may have an X-Request-ID, which the introduction describes.
    { caption: 'Request headers', fields: inPlace('header').filter(({ name }) => name !== 'X-Request-ID') },
    { caption: 'Request body', fields: body ? fieldsOf(document.components.schemas[nameIn(body)]) : [] },
  ];
  const [[status, success]] = Object.entries(responses);
  const answer = success.content?.['application/json']?.schema;
  return `<article id="${operationId}" aria-labelledby="${operationId}.name">
<h3 id="${operationId}.name">${escape(summary)}</h3>
<p>${badge(method)} <code>${escape(path)}</code></p>
${markdown(description)}
<div class="split"><div>
${tables
  .filter(({ fields }) => fields.length > 0)
  .map(({ caption, fields }) => fieldTable(caption, fields, 'required'))
  .join('\n')}
${table(
  'Responses',
  ['Status', 'Meaning'],
  Object.entries(responses).map(([status, response]) => responseRow(document, status, response)),
)}
</div><div>
${figure('Request', curl(document, method, path, operation))}
${answer?.$ref ? figure(`Response ${status}`, asJson(exampleOf(document, answer))) : ''}
</div></div></article>`;
}

function responseRow(document: Document, status: string, response: Operation['responses'][string]): string[] {
  if (response.$ref) {
    const failure = nameIn(response.$ref);
    const { description } = document.components.responses[failure];
    return [`${status} <a href="#${failure}"><code>${failure}</code></a>`, inline(description)];
  }
  const [type, content] = Object.entries(response.content ?? {})[0] ?? ['No body'];
  const body = content?.schema.$ref ? schemaLink(content.schema.$ref) : escape(type);
  const headers = Object.keys(response.headers ?? {}).filter((name) => /^(Location|Link|ETag)$/.test(name));
  const sent = [body, ...headers.map((name) => `header <code>${name}</code>`)].join(', ');
  return [`${status} ${STATUS_CODES[status]}`, sent];
}
