// Breaks MariaDB Galera under load: `pnpm cluster galera [--minutes 15|once] [--seed 1] [--fault part of a name]… [--keep]
// [--writers all|one]`.
import { runAsCommand } from './cluster-command.ts'
import { galeraCluster } from './galera-cluster.ts'

await runAsCommand(galeraCluster)
