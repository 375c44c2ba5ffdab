// A component that is rendered again only when its props change.
import { Component, h } from 'preact';

export function memo(inner) {
  return class extends Component {
    shouldComponentUpdate(next) {
      return Object.keys(next).some((name) => next[name] !== this.props[name]);
    }

    render(props) {
      return h(inner, props);
    }
  };
}
