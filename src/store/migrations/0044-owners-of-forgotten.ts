import type { Migration } from '../database/migration.ts';

/** Deletions at providers take turns by account. Those noted before have none: they share one turn. */
export const migration0044: Migration = {
  name: '0044-owners-of-forgotten',
  statements: ["alter table forgotten_at_providers add column owner text not null default ''"],
};
