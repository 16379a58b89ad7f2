import { again, ciProjects, suite } from './test-projects.ts';

/** `npm test`, which is what CI runs: at most ten minutes on two cores. */
export default suite([
  ...ciProjects(),
  again('node-http', 'slow-unit', ['test/unit/api/{http-library,http-routing,http-socket}.test.ts'], {
    SVC_HTTP_SERVER: 'node',
  }),
]);
