const { NodeSDK } = require('@opentelemetry/sdk-node');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { PgInstrumentation } = require('@opentelemetry/instrumentation-pg');
const { PinoInstrumentation } = require('@opentelemetry/instrumentation-pino');

const http = new HttpInstrumentation({ redactedQueryParamsServer: ['q', 'email', 'filter', 'cursor'] }); // personal data
const log = new PinoInstrumentation({ disableLogSending: true }); // the log stays on standard output
const instrumentations = [http, new ExpressInstrumentation(), new PgInstrumentation(), log];
new NodeSDK({ serviceName: 'user-management-service', instrumentations }).start();
