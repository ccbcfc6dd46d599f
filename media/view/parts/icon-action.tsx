import { Icon } from "./icon.tsx";

interface Props {
	readonly name: string;
	readonly icon: string;
	readonly isReady: boolean;
	/** Of one that switches something: whether it is on. */
	readonly isPressed?: boolean;
	/** What is said on hover, when the name alone does not say it. */
	readonly title?: string;
	readonly onClick: () => void;
}

/** A small button that says what it does on hover and to a screen reader. */
export function IconAction({ name, icon, isReady, isPressed, title = name, onClick }: Props) {
	return (
		<button
			type="button"
			class="icon-button"
			title={title}
			aria-label={name}
			aria-pressed={isPressed}
			disabled={!isReady}
			onClick={onClick}
		>
			<Icon name={icon} />
		</button>
	);
}
