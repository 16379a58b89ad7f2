import { useState } from 'preact/hooks';
import { BASE_PATH } from '../api/request.ts';
import { Input } from '../parts/form.tsx';
import { Card, Fold, PageHead, Read } from '../parts/layout.tsx';
import { Rows } from '../parts/list.tsx';
import { OperationBody, Prose } from './docs/operation.tsx';
import type { Document } from './docs/schema.ts';
import { t } from './docs.texts.ts';

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
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const found = endpoints.filter(({ method, path, operation }) =>
    `${method} ${path} ${operation.summary}`.toLowerCase().includes(wanted.toLowerCase()),
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
      {[...Map.groupBy(found, ({ operation }) => operation.tags[0] ?? '')].map(([tag, some]) => (
        <Card key={tag} title={tag}>
          <Rows of={some}>
            {({ method, path, operation }) => {
              const name = [
                <code key="path">{`${method.toUpperCase()} ${path}`}</code>,
                <span key="summary" class="ink">{` ${operation.summary}`}</span>,
              ];
              const one = { document, method, path, operation, apiKey };
              return (
                <li key={operation.operationId} id={operation.operationId}>
                  <Fold title={name}>{() => <OperationBody {...one} />}</Fold>
                </li>
              );
            }}
          </Rows>
        </Card>
      ))}
    </>
  );
}
