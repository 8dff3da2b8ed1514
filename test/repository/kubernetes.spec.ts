import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const document = readFileSync('docs/pgbouncer.md', 'utf8');
const settingOf = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(document)?.[1];
const specOf = (path: string) => parse(readFileSync(`deploy/${path}.yaml`, 'utf8')).spec;

const { cluster, pgbouncer, instances } = specOf('components/cloudnativepg-pooler/pooler');
const { bootstrap, postgresql } = specOf('components/cloudnativepg/cluster');

it('the pooler of CloudNativePG has the settings of docs/pgbouncer.md', () => {
  const { poolMode, parameters } = pgbouncer;
  expect(poolMode).toBe(settingOf('pool_mode'));
  for (const name of ['server_login_retry', 'query_wait_timeout'])
    expect([name, parameters[name]]).toEqual([name, settingOf(name)]);
  // The operator begins the list with extra_float_digits and options.
  expect(`${parameters.ignore_startup_parameters}, options`).toBe(settingOf('ignore_startup_parameters'));
});

it('its database sets for the role what connect_query sets elsewhere', () => {
  const [, statements] = /connect_query='(.*)'/.exec(document)!;
  const { owner, postInitApplicationSQL } = bootstrap.initdb;
  expect(postInitApplicationSQL).toEqual(
    statements.split('; ').map((statement) => `ALTER ROLE ${owner} ${statement}`),
  );
});

it('its connections fit into max_connections', () => {
  expect(cluster.name).toBe('user-management-database');
  const reserved = 3 + 5; // docs/operations.md, Sizing
  expect(instances * Number(pgbouncer.parameters.default_pool_size) + reserved).toBeLessThanOrEqual(
    Number(postgresql.parameters.max_connections),
  );
});

it('the autoscaler adds a replica before one has used up its core, and each requests what that takes', () => {
  const [{ resource }] = specOf('base/horizontal-pod-autoscaler').metrics;
  const { averageValue } = resource.target;
  expect(resource).toEqual({ name: 'cpu', target: { type: 'AverageValue', averageValue } });
  expect(averageValue).toMatch(/^[5-8]\d\dm$/);
  expect(specOf('base/deployment').template.spec.containers[0].resources.requests.cpu).toBe(averageValue);
});

it('docs/operations.md forwards a port of the service, and reads secrets that the replicas get', () => {
  const operations = readFileSync('docs/operations.md', 'utf8');
  const forwarded = [...operations.matchAll(/port-forward service\/(\S+) 3000:(\d+)$/gm)];
  const { metadata, spec } = parse(readFileSync('deploy/base/service.yaml', 'utf8'));
  const http = spec.ports.find((port: { name: string }) => port.name === 'http');
  expect(forwarded.map(([, name, port]) => [name, Number(port)])).toEqual([[metadata.name, http.port]]);

  const { env } = specOf('base/deployment').template.spec.containers[0];
  const secrets = env.map(
    (variable: { valueFrom?: { secretKeyRef: object } }) => variable.valueFrom?.secretKeyRef,
  );
  const read = [...operations.matchAll(/get secret (\S+) -o jsonpath='\{\.data\.(\w+)\}'/g)];
  expect(read.map(([, , key]) => key)).toEqual(['BOOTSTRAP_TOKEN', 'OPERATOR_TOKEN']);
  for (const [, name, key] of read) expect(secrets).toContainEqual(expect.objectContaining({ name, key }));
});

it('the CA of the database is mounted where docs/operations.md says, without its key, for each process', () => {
  const { patches } = parse(readFileSync('deploy/components/database-ca/kustomization.yaml', 'utf8'));
  const mounts = patches.map(({ patch }: { patch: string }) => {
    const { metadata, spec } = parse(patch);
    const [{ mountPath }] = spec.template.spec.containers[0].volumeMounts;
    const [{ secret }] = spec.template.spec.volumes;
    return [metadata.name, secret.items.map(({ path }: { path: string }) => `${mountPath}/${path}`)];
  });
  const [, file] = /sslrootcert=(\/run\/\S+?)`/.exec(readFileSync('docs/operations.md', 'utf8'))!;
  expect(mounts).toEqual(
    ['service', 'service-migration', 'audit-stream'].map((name) => [`user-management-${name}`, [file]]),
  );
});

/** A pod that breaks no rule. */
const pod = () => ({
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } as Record<
    string,
    unknown
  >,
  containers: [
    {
      name: 'service',
      ports: [{ containerPort: 3000 }] as object[],
      livenessProbe: { httpGet: { path: '/livez', port: 3000 } as object },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } as Record<
        string,
        unknown
      >,
    },
  ],
  volumes: [{ name: 'secrets', secret: {} }] as object[],
});
type Pod = ReturnType<typeof pod>;

const ofPod = (fields: object) => (it: Pod) => void Object.assign(it.securityContext, fields);
const ofContainer = (fields: object) => (it: Pod) =>
  void Object.assign(it.containers[0].securityContext, fields);
const ofSpec = (fields: object) => (it: Pod) => void Object.assign(it, fields);

/** A change for each rule, and the rules that it breaks. */
const CASES: [change: (it: Pod) => void, ...broken: string[]][] = [
  [() => {}],
  [ofContainer({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } })],
  [ofSpec({ hostNetwork: true }), 'shares no namespace of the node'],
  [ofSpec({ hostPID: true }), 'shares no namespace of the node'],
  [ofSpec({ hostIPC: true }), 'shares no namespace of the node'],
  [ofPod({ windowsOptions: { hostProcess: true } }), 'is no process of the node'],
  [ofContainer({ privileged: true }), 'is not privileged'],
  [ofContainer({ capabilities: {} }), 'drops all capabilities'],
  [
    ofContainer({ capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] } }),
    'adds no capability but NET_BIND_SERVICE',
  ],
  [
    (it) => it.volumes.push({ name: 'node', hostPath: { path: '/' } }),
    'has only volumes that cannot reach the node',
  ],
  [(it) => it.containers[0].ports.push({ hostPort: 80 }), 'opens no port of the node'],
  [(it) => Object.assign(it.containers[0].livenessProbe.httpGet, { host: 'a' }), 'sends probes to itself'],
  [ofPod({ appArmorProfile: { type: 'Unconfined' } }), 'keeps AppArmor'],
  [ofPod({ seLinuxOptions: { type: 'spc_t' } }), 'keeps SELinux', 'leaves SELinux options to OpenShift'],
  [ofContainer({ procMount: 'Unmasked' }), 'keeps /proc masked'],
  [ofPod({ seccompProfile: undefined }), 'has a seccomp profile'],
  [
    ofContainer({ seccompProfile: { type: 'Unconfined' } }),
    'has a seccomp profile',
    "has the container runtime's seccomp profile",
  ],
  [ofPod({ sysctls: [{ name: 'kernel.msgmax', value: '1' }] }), 'sets only safe sysctls'],
  [ofContainer({ allowPrivilegeEscalation: undefined }), 'cannot gain privileges'],
  [ofPod({ runAsNonRoot: undefined }), 'must not run as root'],
  [ofContainer({ runAsNonRoot: false }), 'must not run as root'],
  [ofContainer({ runAsUser: 0 }), 'does not run as user 0', 'leaves the user to OpenShift'],
  [ofPod({ runAsUser: 10001 }), 'leaves the user to OpenShift'],
  [ofPod({ runAsGroup: 10001 }), 'leaves the group to OpenShift'],
  [ofPod({ fsGroup: 10001 }), 'leaves the group of volumes to OpenShift'],
  [ofPod({ supplementalGroups: [1] }), 'leaves further groups to OpenShift'],
  [ofSpec({ initContainers: [{ name: 'first' }] }), 'drops all capabilities', 'cannot gain privileges'],
];

it('the check of pods finds each broken rule, in every kind of object that has pods', () => {
  const objects = CASES.map(([change], index) => {
    const spec = pod();
    change(spec);
    const kinds = [
      { kind: 'Pod', spec },
      { kind: 'Deployment', spec: { template: { spec } } },
      { kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec } } } } },
    ];
    return { ...kinds[index % 3], metadata: { name: String(index) } };
  });
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/kubernetes/pod-security.mjs'], {
    input: objects.map((object) => stringify(object)).join('---\n'),
    encoding: 'utf8',
  });
  const found = objects.map(({ metadata: { name } }) =>
    [...stdout.matchAll(new RegExp(`^\\w+ ${name} breaks: (.*)$`, 'gm'))].map(([, rule]) => rule),
  );
  expect(found).toEqual(CASES.map(([, ...broken]) => broken));
  expect([stderr, status]).toEqual(['', 1]);
});
