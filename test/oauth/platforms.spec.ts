/**
 * @only embedded: it tests what platforms sign
 */
import { type JWTPayload, SignJWT } from 'jose';
import { ACME, AUDIENCE, expectFailure, inSeconds, present, useAssertions } from '../support/assertions';

/** What a platform signs for a workload, and where it shows its keys. */
interface Platform {
  name: string;
  issuer: string;
  jwksUri: string;
  /** Beside the algorithm and the id of the key. */
  header: object;
  /** Beside the issuer, the audience and the times. */
  claims: JWTPayload;
  /** The audience as the platform writes it. */
  audience: string | string[];
  /** The life of an assertion. */
  seconds: number;
  rule: string;
  /** Claims of another workload. */
  other: object;
}

const PLATFORMS: Platform[] = [
  {
    name: 'Kubernetes',
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwksUri: 'https://172.20.0.3:6443/openid/v1/jwks',
    header: {},
    audience: [AUDIENCE],
    seconds: 3607,
    claims: {
      jti: 'e51f1fbc-4733-4b85-a59f-ba80c0523874',
      'kubernetes.io': {
        namespace: 'crm',
        node: { name: 'worker-1', uid: '517eb86e-b863-451b-bf70-86cb61439a3a' },
        pod: { name: 'sync-7d9c', uid: '0d8b260e-ef0e-45fb-be8e-ff44f97722e8' },
        serviceaccount: { name: 'sync', uid: 'e6a8680e-d103-4cce-80ea-03acbbeacf7d' },
      },
      sub: 'system:serviceaccount:crm:sync',
    },
    rule: 'sub=system:serviceaccount:crm:sync',
    other: { sub: 'system:serviceaccount:crm:default' },
  },
  {
    name: 'GitHub',
    issuer: 'https://token.actions.githubusercontent.com',
    jwksUri: 'https://token.actions.githubusercontent.com/.well-known/jwks',
    header: { typ: 'JWT', x5t: 'a-thumbprint' },
    audience: AUDIENCE,
    seconds: 300,
    claims: {
      jti: '6d2f8e1c-6a5b-4e0f-9a53-1f2d3c4b5a69',
      sub: 'repo:acme/crm:ref:refs/heads/main',
      ref: 'refs/heads/main',
      sha: '0f1e2d3c4b5a69788796a5b4c3d2e1f001020304',
      repository: 'acme/crm',
      repository_owner: 'acme',
      repository_owner_id: '65',
      repository_visibility: 'private',
      repository_id: '74',
      run_id: '9001',
      run_number: '12',
      run_attempt: '2',
      actor: 'ada',
      actor_id: '12',
      workflow: 'deploy',
      workflow_ref: 'acme/crm/.github/workflows/deploy.yml@refs/heads/main',
      head_ref: '',
      base_ref: '',
      event_name: 'push',
      ref_type: 'branch',
      ref_protected: 'true',
      job_workflow_ref: 'acme/crm/.github/workflows/deploy.yml@refs/heads/main',
      runner_environment: 'github-hosted',
    },
    rule: 'sub=repo:acme/crm:ref:refs/heads/main repository_id=74 event_name=push',
    other: { sub: 'repo:acme/crm:pull_request', event_name: 'pull_request' },
  },
  {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    jwksUri: 'https://gitlab.com/oauth/discovery/keys',
    header: { typ: 'JWT' },
    audience: AUDIENCE,
    seconds: 3600,
    claims: {
      jti: 'f9dbe8f4-2b1c-4c5e-9c52-0f6d1d0f7c11',
      sub: 'project_path:acme/crm:ref_type:branch:ref:main',
      namespace_id: '72',
      namespace_path: 'acme',
      project_id: '20',
      project_path: 'acme/crm',
      user_id: '1',
      user_login: 'ada',
      user_email: 'ada@acme.example',
      user_access_level: 'owner',
      user_identities: [{ provider: 'github', extern_uid: '2435223452345' }],
      groups_direct: ['acme', 'acme/deployers'],
      pipeline_id: '574',
      pipeline_source: 'push',
      job_id: '302',
      ref: 'main',
      ref_type: 'branch',
      ref_path: 'refs/heads/main',
      ref_protected: 'true',
      environment: 'production',
      environment_protected: 'true',
      runner_id: 1,
      runner_environment: 'self-hosted',
      sha: '0f1e2d3c4b5a69788796a5b4c3d2e1f001020304',
      project_visibility: 'private',
    },
    rule: 'sub=project_path:acme/crm:ref_type:branch:ref:main ref_protected=true groups_direct=acme/deployers runner_id=1',
    other: { ref_protected: 'false' },
  },
];

const { issuer, service } = useAssertions(() =>
  PLATFORMS.map(({ issuer, rule }) => `${issuer} ${rule} -> ${ACME} users:read`),
);

// In this network, the names of the platforms lead to the issuer of the test.
beforeEach(() => {
  const fetchAny = globalThis.fetch;
  jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation((url, options) => fetchAny(`${url}`.replace('https:/', issuer.url), options));
});
beforeAll(() => {
  for (const { issuer: iss, jwksUri } of PLATFORMS) {
    const pathOf = (url: string) => url.replace('https:/', '');
    issuer.answerAt(pathOf(`${iss}/.well-known/openid-configuration`), (response) =>
      response.end(
        JSON.stringify({
          issuer: iss,
          jwks_uri: jwksUri,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        }),
      ),
    );
    issuer.answerAt(pathOf(jwksUri), (response) => {
      response.setHeader('Content-Type', 'application/jwk-set+json');
      response.end(JSON.stringify({ keys: issuer.keys.map((key) => ({ ...key, alg: 'RS256' })) }));
    });
  }
});

describe.each(PLATFORMS)(
  'an assertion of $name',
  ({ issuer: iss, header, audience, seconds, claims, other }) => {
    const signed = (changes: object = {}) => {
      const times = { iat: inSeconds(0), nbf: inSeconds(0), exp: inSeconds(seconds) };
      const { alg, kid, key } = issuer.signature;
      return new SignJWT({ iss, aud: audience, ...times, ...claims, ...changes })
        .setProtectedHeader({ alg, kid, ...header })
        .sign(key!);
    };

    it('is exchanged', async () => {
      const signedAt = Date.now();
      const { status, body } = await present(service, await signed());
      expect([status, body]).toMatchObject([200, { token_type: 'Bearer', scope: 'users:read' }]);
      const left = Math.min(seconds, 3600) - body.expires_in;
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(1 + (Date.now() - signedAt) / 1000);
    });

    it('is refused for another workload', async () => {
      expectFailure(await present(service, await signed(other)), 'invalid_grant', /^No rule of this service/);
    });

    it('is refused if it is for the platform itself', async () => {
      expectFailure(await present(service, await signed({ aud: [iss] })), 'invalid_grant', / aud /);
    });
  },
);
