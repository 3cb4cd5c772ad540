export { toNodeEndpoint, toNodeHandler, toNodeListener } from './to-node-handler.ts'
