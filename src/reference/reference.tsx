import '../dashboard/style/base.css';
import '../dashboard/style/parts.css';
import './reference.css';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { BASE_PATH } from '../dashboard/api/request.ts';
import { Input } from '../dashboard/parts/form.tsx';
import { Card, PageHead, Read } from '../dashboard/parts/layout.tsx';
import { Rows } from '../dashboard/parts/list.tsx';
import { Fold } from './fold.tsx';
import { OperationBody, Prose } from './operation.tsx';
import { t } from './reference.texts.ts';
import type { Document } from './schema.ts';

/** The reference of the API, rendered from the gateway's own description of it. */
function ReferencePage() {
  document.title = t.title;
  return (
    <main class="docs">
      <Read from="GET /openapi.json">{(data) => <Reference document={data as Document} />}</Read>
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

render(<ReferencePage />, document.getElementById('app')!);
