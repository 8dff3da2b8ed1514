// The heaviest requests of the operator.
import { elements, KB, list, longName } from '../bodies.mjs';

const ORGANIZATIONS = '/v1/organizations';

/** Makes a request of the operator. */
const by = (make) => async (scene) => ({ token: scene.operatorToken, ...(await make(scene)) });

const organization = () => ({ name: longName(100) });
const newId = async ({ sendAsOperator }) => (await sendAsOperator('POST', ORGANIZATIONS, organization())).id;
const ofNew = (request) => by(async (scene) => ({ id: await newId(scene), ...request }));

const suspendedId = async (scene) => {
  const id = await newId(scene);
  await scene.sendAsOperator('PATCH', `${ORGANIZATIONS}/${id}`, { suspended: true });
  return { id };
};
const newToken = async (scene) => {
  const tokens = `${ORGANIZATIONS}/${await newId(scene)}/tokens`;
  const { id } = await scene.sendAsOperator('POST', tokens, { name: longName(100), scopes: ['admin'] });
  return { path: `${tokens}/${id}` };
};

export const OPERATOR = {
  [`GET ${ORGANIZATIONS}`]: { 'long names': by(() => ({ query: 'limit=200' })) },
  [`POST ${ORGANIZATIONS}`]: { 'a long name': by(() => ({ body: organization() })) },
  [`GET ${ORGANIZATIONS}/:id`]: { 'a long name': ofNew() },
  [`PATCH ${ORGANIZATIONS}/:id`]: { 'a long name': ofNew({ body: { ...organization(), suspended: true } }) },
  [`DELETE ${ORGANIZATIONS}/:id`]: { 'a suspended one': by(suspendedId) },
  [`GET ${ORGANIZATIONS}/:id/tokens`]: {
    'of many': by(({ heavy }) => ({ id: heavy.organization, query: 'limit=200' })),
  },
  [`POST ${ORGANIZATIONS}/:id/tokens`]: {
    'a long name': ofNew({ body: { name: longName(100), scopes: list(1, () => 'admin') } }),
    'many scopes': ofNew({ body: `{"name":"a","scopes":${elements(63 * KB, '"admin"')}}`, status: 400 }),
  },
  [`DELETE ${ORGANIZATIONS}/:id/tokens/:tokenId`]: { 'a long name': by(newToken) },
};
