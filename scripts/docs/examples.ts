import { type Document, nameIn, type Operation, type Schema } from './document';
import { escape } from './html';

/** An example of a value that the schema allows, put together from the examples of its fields. */
export function exampleOf(document: Document, schema: Schema): unknown {
  const { $ref, examples, properties, items } = schema;
  if ($ref) return exampleOf(document, document.components.schemas[nameIn($ref)]);
  if (examples) return examples[0];
  if (items) return [exampleOf(document, items)];
  if (!properties) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, exampleOf(document, field)]),
  );
}

export const asJson = (value: unknown) => JSON.stringify(value, null, 2);

/** A command that sends a request of the operation. */
export function curl(document: Document, method: string, path: string, operation: Operation): string {
  const { parameters, requestBody, security } = operation;
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || parameter.name === 'limit'))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.examples![0]))}`);
  const url = `$URL${path.replace('{id}', '$ID')}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`];
  if (security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (requestBody) {
    const [[type, { schema }]] = Object.entries(requestBody.content);
    const body = asJson(exampleOf(document, schema)).replaceAll("'", "'\\''");
    lines.push(`-H "Content-Type: ${type}"`, `-d '${body}'`);
  }
  return lines.join(' \\\n  ');
}

export const figure = (caption: string, code: string) =>
  `<figure><figcaption>${caption}</figcaption><pre><code>${escape(code)}</code></pre></figure>`;
