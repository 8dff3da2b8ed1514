// What must hold for the objects of an overlay beside their schemas.
import { brokenRules } from './pod-security.mjs';

/** The official image starts as root and changes its user; OpenShift gives it another from the beginning. */
const EXEMPT = { 'Deployment postgres': ['drops all capabilities', 'must not run as root'] };

/** What the component for OpenShift takes out. */
const ELSEWHERE = { 'Deployment user-management-audit-stream': ['leaves the group of volumes to OpenShift'] };

/** The port of its name servers. */
const isOnOpenShift = (objects) =>
  objects.some(({ kind, spec }) => kind === 'NetworkPolicy' && JSON.stringify(spec).includes('"port":5353'));

const waveOf = ({ metadata }) => Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);
const isJob = ({ kind }) => kind === 'Job';
const STREAM = 'user-management-audit-stream';
/** What needs the migrated database. A volume may be made only with the pod that mounts it. */
const isWorkload = ({ kind, metadata }) =>
  (['Deployment', 'HorizontalPodAutoscaler'].includes(kind) && metadata.name === 'user-management-service') ||
  metadata.name === STREAM;
const isDeployment = (object) => isWorkload(object) && object.kind === 'Deployment';

/** The faults of the objects of an overlay. */
export function faultsOf(objects) {
  return [
    ...podFaults(objects),
    ...volumeFaults(objects),
    ...versionFaults(objects),
    ...orderFaults(objects),
    ...envFaults(objects),
    ...caFaults(objects),
  ];
}

function podFaults(objects) {
  return objects.flatMap((object) => {
    const name = `${object.kind} ${object.metadata.name}`;
    const exempt = [EXEMPT, isOnOpenShift(objects) ? {} : ELSEWHERE].flatMap((rules) => rules[name] ?? []);
    const broken = brokenRules(object).filter((rule) => !exempt.includes(rule));
    return broken.map((rule) => `${name} breaks: ${rule}`);
  });
}

/** A volume belongs to root, unless the pod names a group, which OpenShift does itself. */
function volumeFaults(objects) {
  return objects.filter(isDeployment).flatMap(({ metadata, spec }) => {
    const { volumes = [], securityContext } = spec.template.spec;
    const hasClaim = volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim);
    return hasClaim && !isOnOpenShift(objects) && !securityContext.fsGroup
      ? [`${metadata.name}: its user may not write to its volume`]
      : [];
  });
}

/** A selector cannot be changed, so it must not contain the version. */
function versionFaults(objects) {
  return objects.flatMap(({ kind, metadata, spec }) => {
    const selectors = [spec?.selector, spec?.podSelector];
    const isIn = JSON.stringify(selectors).includes('app.kubernetes.io/version');
    return isIn ? [`${kind} ${metadata.name}: the version is in a selector`] : [];
  });
}

const ROUTES = ['Ingress', 'HTTPRoute'];

/**
 * Argo CD applies one wave after the other, each once the one before is healthy: first what the migration needs, then
 * the migration, then the replicas and the routes to them.
 */
function orderFaults(objects) {
  return objects.filter(isJob).flatMap((job) =>
    objects
      .filter((object) => object !== job)
      .filter((object) =>
        isWorkload(object) || ROUTES.includes(object.kind)
          ? waveOf(object) <= waveOf(job)
          : waveOf(object) >= waveOf(job),
      )
      .map(
        ({ kind, metadata }) => `${kind} ${metadata.name}: its sync wave is on the wrong side of the job's`,
      ),
  );
}

/** A variable has one value, and the settings come from the generated ConfigMap where there is one. */
function envFaults(objects) {
  const isSettings = ({ kind, metadata }) =>
    kind === 'ConfigMap' && metadata.name.startsWith('user-management-service-settings');
  const generated = objects.find(isSettings)?.metadata.name;
  return objects.filter(isDeployment).flatMap(({ spec }) => {
    const { env, envFrom } = spec.template.spec.containers[0];
    const names = env.map(({ name }) => name);
    return [
      ...names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} is set twice`),
      ...env
        .filter(({ value, valueFrom }) => (value === undefined) === (valueFrom === undefined))
        .map(({ name }) => `${name} has no value or two`),
      ...(generated && envFrom[0].configMapRef.name !== generated
        ? [`the settings do not come from ${generated}`]
        : []),
    ];
  });
}

/** The file that DATABASE_URL names is mounted. */
function caFaults(objects) {
  return objects.flatMap(({ kind, metadata, spec }) =>
    (spec?.template?.spec?.containers ?? []).flatMap(({ env = [], volumeMounts = [] }) => {
      const { value = '' } = env.find(({ name }) => name === 'DATABASE_URL') ?? {};
      const path = /[?&]sslrootcert=([^&]+)/.exec(value)?.[1];
      const isMounted = volumeMounts.some(({ mountPath }) => path?.startsWith(`${mountPath}/`));
      return path && !isMounted ? [`${kind} ${metadata.name}: ${path} is not mounted`] : [];
    }),
  );
}
