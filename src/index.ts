export { type IonEvent } from './events/schema.ts'
