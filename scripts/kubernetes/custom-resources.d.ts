// The parts of other projects' objects that deploy/ uses. Packages with all their types would need 23 more packages.
import type { LabelSelector, ObjectMeta } from 'kubernetes-types/meta/v1';
import type { ResourceRequirements } from 'kubernetes-types/core/v1';

interface CustomResource {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

interface SecretKey {
  name: string;
  key: string;
}

export interface ServiceMonitor extends CustomResource {
  spec: { selector: LabelSelector; endpoints: { port: string; path?: string; interval?: string }[] };
}

export interface PrometheusRule extends CustomResource {
  spec: {
    groups: {
      name: string;
      rules: {
        alert: string;
        expr: string;
        for?: string;
        labels: { severity: 'critical' | 'warning' };
        annotations: { summary: string; runbook_url: `https://${string}#${string}` };
      }[];
    }[];
  };
}

export interface HTTPRoute extends CustomResource {
  spec: {
    parentRefs: { name: string; namespace?: string }[];
    hostnames?: string[];
    rules: { backendRefs: { name: string; port: number }[] }[];
  };
}

export interface ExternalSecret extends CustomResource {
  spec: {
    refreshInterval?: string;
    secretStoreRef: { kind: 'ClusterSecretStore' | 'SecretStore'; name: string };
    target?: { name?: string };
    dataFrom: { extract: { key: string } }[];
  };
}

interface BarmanPlugin {
  name: 'barman-cloud.cloudnative-pg.io';
  isWALArchiver?: boolean;
  parameters: { barmanObjectName: string; serverName?: string };
}

export interface Cluster extends CustomResource {
  spec: {
    instances: number;
    enablePDB?: boolean;
    storage: { size: string; storageClass?: string };
    bootstrap?:
      | { initdb: { database: string; owner: string; postInitApplicationSQL?: string[] } }
      | {
          recovery: {
            source: string;
            database: string;
            owner: string;
            recoveryTarget?: { targetTime: string };
          };
        };
    externalClusters?: { name: string; plugin: BarmanPlugin }[];
    plugins?: BarmanPlugin[];
    postgresql?: { parameters?: Record<string, string> };
    resources?: ResourceRequirements;
  };
}

/** Those that the operator lets its users set, of the ones that the service needs. */
type PgBouncerParameter =
  | 'ignore_startup_parameters'
  | 'server_login_retry'
  | 'query_wait_timeout'
  | 'default_pool_size'
  | 'max_client_conn';

export interface Pooler extends CustomResource {
  spec: {
    cluster: { name: string };
    instances: number;
    type: 'rw' | 'ro' | 'r';
    pgbouncer: {
      poolMode: 'session' | 'transaction';
      parameters: Partial<Record<PgBouncerParameter, string>>;
    };
  };
}

export interface ScheduledBackup extends CustomResource {
  spec: {
    schedule: `${string} ${string} ${string} ${string} ${string} ${string}`;
    immediate?: boolean;
    backupOwnerReference?: 'none' | 'self' | 'cluster';
    cluster: { name: string };
    method: 'plugin';
    pluginConfiguration: { name: BarmanPlugin['name'] };
  };
}

export interface ObjectStore extends CustomResource {
  spec: {
    retentionPolicy?: `${number}${'d' | 'w' | 'm'}`;
    configuration: {
      destinationPath: string;
      endpointURL?: string;
      s3Credentials: { accessKeyId: SecretKey; secretAccessKey: SecretKey };
      wal?: { compression?: 'gzip' | 'bzip2' | 'snappy' | 'zstd' | 'lz4' | 'xz' };
      data?: { compression?: 'gzip' | 'bzip2' | 'snappy' };
    };
  };
}
