import { useState } from 'preact/hooks';
import { BASE_PATH } from '../api/request.ts';
import { Input } from '../parts/form.tsx';
import { Card, Fold, PageHead, Read } from '../parts/layout.tsx';
import type { Document, Operation } from './docs/document.ts';
import { OperationBody, Prose } from './docs/operation.tsx';
import { t } from './docs.texts.ts';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The reference of the API, rendered from the gateway's own description of it. */
export function DocsPage() {
  document.title = t.title;
  return (
    <main class="docs">
      <Read from="GET /openapi.json">{(data) => <Reference document={data} />}</Read>
    </main>
  );
}

function Reference({ document }: { readonly document: Document }) {
  const [wanted, setWanted] = useState('');
  const [apiKey, setApiKey] = useState('');
  const matches = ({ method, path, operation }: Endpoint): boolean =>
    `${method} ${path} ${operation.summary}`.toLowerCase().includes(wanted.toLowerCase());
  const byTag = Map.groupBy(
    endpointsOf(document).filter(matches),
    ({ operation }) => operation.tags[0] ?? '',
  );
  return (
    <>
      <PageHead title={t.title}>
        <a href={`${BASE_PATH}/dashboard`}>{t.dashboard}</a>
        <a href={`${BASE_PATH}/openapi.json`}>openapi.json</a>
      </PageHead>
      <p class="quiet small">{`${document.info.title} ${document.info.version}`}</p>
      <Prose text={document.info.description} />
      <section class="card grid">
        <Input label={t.find} type="search" onValue={setWanted} />
        <Input label={t.key} hint={t.keyHint} type="password" onValue={setApiKey} />
      </section>
      {[...byTag].map(([tag, endpoints]) => (
        <Card key={tag} title={tag}>
          <ul class="rows">
            {endpoints.map((each) => (
              <li key={each.operation.operationId} id={each.operation.operationId}>
                <Fold title={<Name {...each} />}>
                  {() => <OperationBody {...each} document={document} apiKey={apiKey} />}
                </Fold>
              </li>
            ))}
          </ul>
        </Card>
      ))}
    </>
  );
}

function Name({ method, path, operation }: Endpoint) {
  return (
    <>
      <code>{`${method.toUpperCase()} ${path}`}</code> <span class="ink">{operation.summary}</span>
    </>
  );
}

function endpointsOf({ paths }: Document): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}
