const { NodeSDK } = require('@opentelemetry/sdk-node');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { PgInstrumentation } = require('@opentelemetry/instrumentation-pg');

const http = new HttpInstrumentation({ redactedQueryParamsServer: ['q', 'email', 'filter', 'cursor'] }); // personal data
const instrumentations = [http, new ExpressInstrumentation(), new PgInstrumentation()];
new NodeSDK({ serviceName: 'user-management-service', instrumentations }).start();
