import { createServer } from 'node:http'

import { toNodeListener } from '@mintmark/adapter-node'

import { server } from './core.ts'

await server.ready()
createServer(toNodeListener(server)).listen(3000, '127.0.0.1')
