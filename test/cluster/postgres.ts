// Breaks a PostgreSQL cluster under load: `pnpm cluster postgres [--minutes 15|once] [--seed 1] [--fault part of a name]… [--keep]
// [--patroni path] [--direct]`.
import { runAsCommand } from './cluster-command.ts'
import { postgresCluster } from './postgres-cluster.ts'

await runAsCommand(postgresCluster)
