import { useState } from "react";
import { createRoot } from "react-dom/client";
import Sortable from "sortablejs";
import dragula from "dragula";
import Muuri from "muuri";
import { DragDropContext, Draggable, Droppable } from "@hello-pangea/dnd";
import { DndContext, PointerSensor, closestCenter, useSensor, useSensors } from "@dnd-kit/core";
import { SortableContext, arrayMove, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable";

new Sortable(document.getElementById("sortable"), { animation: 0 });
dragula([document.getElementById("dragula")]);
window.muuri = new Muuri("#muuri", { dragEnabled: true, layoutDuration: 0 });

function Pangea() {
  const [items, setItems] = useState(["Jam", "Kale", "Leeks"]);
  const end = ({ source, destination }) => destination && setItems(arrayMove(items, source.index, destination.index));
  return (
    <DragDropContext onDragEnd={end}>
      <Droppable droppableId="list">{(list) => (
        <ul ref={list.innerRef} {...list.droppableProps}>
          {items.map((item, i) => (
            <Draggable key={item} draggableId={item} index={i}>{(one) => <li ref={one.innerRef} {...one.draggableProps} {...one.dragHandleProps}>{item}</li>}</Draggable>
          ))}
          {list.placeholder}
        </ul>
      )}</Droppable>
    </DragDropContext>
  );
}

function Item({ item }) {
  const { attributes, listeners, setNodeRef, transform } = useSortable({ id: item });
  return <li ref={setNodeRef} style={{ transform: transform ? `translate3d(0, ${transform.y}px, 0)` : undefined }} {...attributes} {...listeners}>{item}</li>;
}

function Kit() {
  const [items, setItems] = useState(["Mint", "Nuts", "Oats"]);
  const end = ({ active, over }) => over && setItems(arrayMove(items, items.indexOf(active.id), items.indexOf(over.id)));
  return (
    <DndContext sensors={useSensors(useSensor(PointerSensor))} collisionDetection={closestCenter} onDragEnd={end}>
      <SortableContext items={items} strategy={verticalListSortingStrategy}><ul>{items.map((item) => <Item key={item} item={item} />)}</ul></SortableContext>
    </DndContext>
  );
}

createRoot(document.getElementById("pangea")).render(<Pangea />);
createRoot(document.getElementById("kit")).render(<Kit />);
window.built = true;
