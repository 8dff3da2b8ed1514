import { createHash } from 'node:crypto';

/** The parts of an OpenAPI document that the page shows. */
export interface Document {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, { description: string }> };
}

export interface Page {
  html: string;
  /** The page's Content-Security-Policy, which allows neither scripts nor requests. */
  policy: string;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { $ref?: string; content?: Content }>;
}
type Content = Record<string, { schema: Schema }>;
type Schema = Record<string, unknown> & {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
};

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #8886}
code,h3{font-family:ui-monospace,monospace}h3{margin-top:3rem}nav li{list-style:none}p{white-space:pre-line}`;

/** Renders the document as one HTML page. */
export function render(document: Document): Page {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method,
      path,
      operation,
    })),
  );
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(document.info.title)}</title><style>${STYLE}</style>
<h1>${text(document.info.title)} <small>${text(document.info.version)}</small></h1>
<p>${text(document.info.description)}</p><p>For programs: <a href="openapi.json">openapi.json</a></p>
<nav><ul>${operations.map(({ method, path, operation }) => `<li><a href="#${operation.operationId}"><code>${method.toUpperCase()} ${path}</code></a> ${text(operation.summary)}`).join('')}</ul></nav>
${operations.map(({ method, path, operation }) => section(document, method, path, operation)).join('\n')}
<h2>Schemas</h2>${Object.entries(document.components.schemas)
    .map(([name, schema]) => schemaTable(name, schema))
    .join('\n')}
</html>`;
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy };
}

function section(document: Document, method: string, path: string, operation: Operation): string {
  const { operationId, summary, description = '', parameters, requestBody, responses } = operation;
  return `<h3 id="${operationId}">${method.toUpperCase()} ${text(path)}</h3><p>${text(`${summary} ${description}`)}</p>${table(
    parameters.map(({ name, in: place, required, description = '', schema }) => [
      `<code>${text(name)}</code> ${place}${required ? ', required' : ''}`,
      `${typeOf(schema)} ${text(description)}`,
    ]),
  )}${requestBody ? `<p>Body: ${contentOf(requestBody.content)}</p>` : ''}${table(
    Object.entries(responses).map(([status, response]) => [
      status,
      response.$ref ? `${problem(document, response.$ref)}` : contentOf(response.content),
    ]),
  )}`;
}

const problem = (document: Document, ref: string) => {
  const name = lastOf(ref);
  return `<code>${name}</code> ${text(document.components.responses[name].description)}`;
};

const contentOf = (content: Content = {}) =>
  Object.values(content)
    .map(({ schema }) => typeOf(schema))
    .join(' ') || 'no body';

const schemaTable = (name: string, { description = '', properties = {} }: Schema) =>
  `<h3 id="${name}">${name}</h3><p>${text(description)}</p>${table(
    Object.entries(properties).map(([field, schema]) => [
      `<code>${text(field)}</code>`,
      `${typeOf(schema)} ${text(schema.description ?? '')}`,
    ]),
  )}`;

/** A short description of the values that a schema allows. */
function typeOf(schema: Schema): string {
  const { $ref, type, items, ...facts } = schema;
  if ($ref) return `<a href="#${lastOf($ref)}">${lastOf($ref)}</a>`;
  const of = items ? ` of ${typeOf(items as Schema)}` : '';
  const rest = Object.entries(facts)
    .filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && typeof value !== 'object')
    .map(([name, value]) => ` ${name} ${value}`);
  const values = Array.isArray(schema.enum) ? `: ${schema.enum.join(', ')}` : '';
  return `${text([type ?? 'any'].flat().join(' or '))}${of}${text(values + rest.join(','))}.`;
}

const SHOWN_ELSEWHERE = new Set(['description', 'enum', 'examples', 'properties']);

const table = (rows: string[][]) =>
  rows.length === 0
    ? ''
    : `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;

const lastOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);

const text = (value: unknown) =>
  String(value).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
