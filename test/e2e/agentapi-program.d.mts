export function findAgentapi(withinMs: number): Promise<{ readonly program: string } | { readonly unavailable: string }>
