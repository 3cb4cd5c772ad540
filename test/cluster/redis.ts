// Breaks Redis with Sentinel under load: `pnpm cluster redis [--minutes 15|once] [--seed 1] [--fault part of a name]… [--keep]
// [--protection none|min-replicas|wait]`. What does not expire is in SQLite.
import { runAsCommand } from './cluster-command.ts'
import { redisCluster } from './redis-cluster.ts'

await runAsCommand(redisCluster)
