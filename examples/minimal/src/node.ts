import { createServer } from 'node:http'
import { toNodeListener } from '@mintmark/adapter-node'
import { issuer, server } from './authorization-server.ts'

createServer(toNodeListener(server)).listen(new URL(issuer).port || 3000)
