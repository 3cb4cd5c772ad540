// Mintmark's SCIM server on node:http, as a host would run it.
import { toNodeListener } from '@mintmark/adapter-node'

import { serveTarget, targetSettings } from '../serve-target.ts'
import { createMintmarkScim } from './create-mintmark-scim.ts'

const { server, site } = await createMintmarkScim(targetSettings())
await serveTarget({ listener: toNodeListener(server), site })
