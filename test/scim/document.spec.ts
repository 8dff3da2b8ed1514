import { readFileSync } from 'node:fs';
import { useScim } from '../support/scim';

const { scim } = useScim();

const blocks = [...readFileSync('docs/scim.md', 'utf8').matchAll(/```http\n([^\n]*)\n([^`]*)```/g)].map(
  ([, line, body]) => ({ line, body: body.trim() === '' ? undefined : JSON.parse(body) }),
);

it('the requests in docs/scim.md have the responses that follow them', async () => {
  expect(blocks).toHaveLength(10);
  let id = '';
  for (let n = 0; n < blocks.length; n += 2) {
    const { line, body } = blocks[n];
    const [, method, path] = /^(\w+) (.*)$/.exec(line)!;
    const send = scim[method.toLowerCase() as 'get' | 'post' | 'patch'];
    const response = await send(encodeURI(path.replace('{id}', id)), body);
    const { line: status, body: shown } = blocks[n + 1];
    expect([line, response.status]).toEqual([line, Number(status)]);
    expect(response.body).toMatchObject(shown);
    id ||= response.body.id;
  }
});
