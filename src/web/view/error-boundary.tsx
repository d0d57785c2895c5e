import { Component, type ComponentChildren } from 'preact'

/** Shows an error in place of what cannot be rendered; without it one bad row would break the page. */
export class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, { readonly error?: string }> {
  static override getDerivedStateFromError(error: Error): { readonly error: string } {
    return { error: error.message }
  }

  override render(): ComponentChildren {
    if (this.state.error === undefined) return this.props.children
    return <p class="note bad">This part cannot be shown: {this.state.error}</p>
  }
}
