import { Component } from 'react';
import type { ReactNode } from 'react';

interface BoundaryProps {
  children: ReactNode;
  /** What stands in the place of children that could not be shown; default: nothing. */
  fallback?: ReactNode;
  onFail?: () => void;
}

/** Keeps a failure of its children to itself, so that the rest of the page stays. React writes the failure to the console. */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(): void {
    this.props.onFail?.();
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
