// Compares pods with the level `restricted` of the Pod Security Standards, and with OpenShift's `restricted-v2`, which
// also refuses ids that it has not assigned. To check manifests of your own:
//   kubectl kustomize <overlay> | node scripts/kubernetes/pod-security.mjs
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';

const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const SELINUX_TYPES = ['container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
];

const containersOf = (pod) => [
  ...(pod.initContainers ?? []),
  ...pod.containers,
  ...(pod.ephemeralContainers ?? []),
];
const contextsOf = (pod) => [pod, ...containersOf(pod)].map(({ securityContext = {} }) => securityContext);
const isSet = (value) => value !== undefined && value !== null;

/** Whether it holds for every container, whose own value takes precedence over that of the pod. */
const everyContainer = (pod, field, holds) =>
  containersOf(pod).every(({ securityContext }) =>
    holds(securityContext?.[field] ?? pod.securityContext?.[field]),
  );
const handlersOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }) =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].filter(isSet);
const unsetIn = (field) => (pod) => contextsOf(pod).every((context) => !isSet(context[field]));
const isSeLinuxAllowed = ({ type, user, role }) => (!type || SELINUX_TYPES.includes(type)) && !user && !role;
const kindsOfVolume = ({ volumes = [] }) =>
  volumes.flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'));

/** What must hold for a pod. */
const RULES = {
  'shares no namespace of the node': (pod) => !pod.hostNetwork && !pod.hostPID && !pod.hostIPC,
  'is no process of the node': (pod) => contextsOf(pod).every((own) => !own.windowsOptions?.hostProcess),
  'is not privileged': (pod) => contextsOf(pod).every((own) => !own.privileged),
  'drops all capabilities': (pod) => everyContainer(pod, 'capabilities', (own) => own?.drop?.includes('ALL')),
  'adds no capability but NET_BIND_SERVICE': (pod) =>
    everyContainer(pod, 'capabilities', (own) =>
      (own?.add ?? []).every((name) => name === 'NET_BIND_SERVICE'),
    ),
  'has only volumes that cannot reach the node': (pod) =>
    kindsOfVolume(pod).every((kind) => VOLUMES.includes(kind)),
  'opens no port of the node': (pod) =>
    containersOf(pod).every(({ ports = [] }) => ports.every(({ hostPort }) => !hostPort)),
  'sends probes to itself': (pod) =>
    containersOf(pod)
      .flatMap(handlersOf)
      .every(({ httpGet, tcpSocket }) => !httpGet?.host && !tcpSocket?.host),
  'keeps AppArmor': (pod) => contextsOf(pod).every((own) => own.appArmorProfile?.type !== 'Unconfined'),
  'keeps SELinux': (pod) => contextsOf(pod).every((own) => isSeLinuxAllowed(own.seLinuxOptions ?? {})),
  'keeps /proc masked': (pod) =>
    contextsOf(pod).every((own) => [undefined, 'Default'].includes(own.procMount)),
  'has a seccomp profile': (pod) =>
    everyContainer(pod, 'seccompProfile', (own) => ['RuntimeDefault', 'Localhost'].includes(own?.type)),
  'sets only safe sysctls': (pod) =>
    (pod.securityContext?.sysctls ?? []).every(({ name }) => SYSCTLS.includes(name)),
  'cannot gain privileges': (pod) => everyContainer(pod, 'allowPrivilegeEscalation', (own) => own === false),
  'must not run as root': (pod) => everyContainer(pod, 'runAsNonRoot', (own) => own === true),
  'does not run as user 0': (pod) => contextsOf(pod).every(({ runAsUser }) => runAsUser !== 0),
  'leaves the user to OpenShift': unsetIn('runAsUser'),
  'leaves the group to OpenShift': unsetIn('runAsGroup'),
  'leaves the group of volumes to OpenShift': unsetIn('fsGroup'),
  'leaves further groups to OpenShift': unsetIn('supplementalGroups'),
  'leaves SELinux options to OpenShift': unsetIn('seLinuxOptions'),
  "has the container runtime's seccomp profile": (pod) =>
    contextsOf(pod).every(
      ({ seccompProfile }) => !seccompProfile || seccompProfile.type === 'RuntimeDefault',
    ),
};

/** The rules that an object with pods breaks. */
export function brokenRules({ kind, spec }) {
  const pod = kind === 'Pod' ? spec : (spec?.jobTemplate?.spec ?? spec)?.template?.spec;
  if (!pod?.containers) return [];
  return Object.keys(RULES).filter((rule) => !RULES[rule](pod));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const document of parseAllDocuments(readFileSync(0, 'utf8'))) {
    const object = document.toJS();
    for (const rule of brokenRules(object)) {
      process.stdout.write(`${object.kind} ${object.metadata.name} breaks: ${rule}\n`);
      process.exitCode = 1;
    }
  }
}
